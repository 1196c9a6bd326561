-- nvim.lua: nvim-dap drives dndbg, set up as docs/editors.md says.
-- In the environment: PROGRAM (a dll), LINES_WANTED (numbers of the lines to
-- stop at, in order), TURN (a line that the program comes to again and again
-- when it is told to wait) and RESULT (a file to write).  The source is open.
local dap = require('dap')
local lines = vim.tbl_map(tonumber, vim.split(vim.env.LINES_WANTED, ' '))
local turn = tonumber(vim.env.TURN)

-- Wait until a test is true; write down whether it came to be.
local function see(what, test)
  local seen = vim.wait(60000, function()
    local fine, yes = pcall(test)
    return fine and yes
  end, 20)
  local file = io.open(vim.env.RESULT, 'a')
  file:write((seen and 'ok    ' or 'FAIL  ') .. what .. '\n')
  file:close()
end

local function stands()
  local session = dap.session()
  local frame = session and session.current_frame
  return frame and frame.line
end

local function ended()
  return dap.session() == nil or dap.session().closed
end

local function evaluates(expression)
  local result
  dap.session():evaluate(expression, function(_, answer)
    result = answer and answer.result
  end)
  vim.wait(10000, function() return result end, 20)
  return result
end

local function breakpoint(line)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  dap.toggle_breakpoint()
end

local function output()
  local found = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buffer].filetype == 'dap-repl' then
      vim.list_extend(found, vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
    end
  end
  return table.concat(found, '\n')
end

local launch, attach = unpack(dap.configurations.cs)
breakpoint(lines[1])
dap.run(vim.tbl_extend('force', launch, { program = vim.env.PROGRAM }))
see('stopped at the breakpoint', function() return stands() == lines[1] end)
see('an expression', function() return evaluates('n + 1') == '22' end)
dap.step_over()
see('next', function() return stands() == lines[2] end)
dap.step_over()
see('what the program prints', function()
  return output():find('doubled 42', 1, true)
end)
dap.terminate()
see('ended', ended)

dap.clear_breakpoints()
breakpoint(turn)
-- on a terminal, as those are that nvim-dap offers
local job = vim.fn.jobstart({ 'dotnet', vim.env.PROGRAM, 'wait' }, { pty = true })
local pid = vim.fn.jobpid(job)
-- The person at the list of processes.
vim.ui.select = function(items, _, on_choice)
  for _, item in ipairs(items) do
    if item.pid == pid then
      return on_choice(item)
    end
  end
  on_choice(nil)
end
see('the program runs', function()
  local maps = io.open('/proc/' .. pid .. '/maps'):read('*a')
  return maps:find('Console.dll', 1, true)
end)
dap.run(attach)
see('attached, stopped at the breakpoint', function()
  return stands() == turn
end)
dap.disconnect({ terminateDebuggee = false })
see('detached, the program lives', function()
  local status = io.open('/proc/' .. pid .. '/status'):read('*a')
  return ended() and status:find('TracerPid:\t0', 1, true)
end)
vim.fn.jobstop(job)
vim.cmd('qall!')
