" vimspector.vim: vimspector drives dndbg, set up as docs/editors.md says.
" In the environment: LINES_WANTED (numbers of the lines to stop at, in order),
" TURN and PID (a line that a program which waits comes to again and again, and
" its process) and RESULT (a file to write).  The source is open.
let s:lines = map(split($LINES_WANTED), 'str2nr(v:val)')
let s:source = expand('%:p')
let s:step = 0
let s:began = reltime()

function! s:Stands(line) abort
  return expand('%:p') ==# s:source && line('.') == a:line &&
        \ py3eval('int(_vimspector_session is not None and ' ..
        \ '_vimspector_session._stackTraceView.GetCurrentFrame() is not None)')
endfunction

function! s:Shows(buffer, text) abort
  return join(getbufline(a:buffer, 1, '$'), "\n") =~# a:text
endfunction

function! s:Tracer() abort
  return matchstr(join(readfile('/proc/' .. $PID .. '/status'), "\n"),
        \ 'TracerPid:\t\zs\d\+')
endfunction

function! s:Launch() abort
  call vimspector#SetLineBreakpoint('Program.cs', s:lines[0])
  call vimspector#LaunchWithSettings(
        \ #{configuration: 'launch', dllName: 'Console'})
endfunction

function! s:Attach() abort
  call vimspector#ClearBreakpoints()
  call vimspector#SetLineBreakpoint('Program.cs', str2nr($TURN))
  call vimspector#LaunchWithSettings(#{configuration: 'attach', pid: $PID})
endfunction

" What is done, what is to be seen then, and how that is known.
let s:steps = [
      \ [{-> s:Launch()}, 'stopped at entry',
      \  {-> line('.') < s:lines[0] && s:Stands(line('.'))}],
      \ [{-> vimspector#Continue()}, 'stopped at the breakpoint',
      \  {-> s:Stands(s:lines[0])}],
      \ [{-> vimspector#Evaluate('n + 1')}, 'an expression',
      \  {-> s:Shows('vimspector.Console', '\<22\>')}],
      \ [{-> vimspector#StepOver()}, 'next', {-> s:Stands(s:lines[1])}],
      \ [{-> vimspector#Reset()}, 'ended', {-> tabpagenr('$') == 1}],
      \ [{-> s:Attach()}, 'attached, stopped at the breakpoint',
      \  {-> s:Stands(str2nr($TURN))}],
      \ [{-> vimspector#Reset()}, 'detached, the program lives',
      \  {-> tabpagenr('$') == 1 && s:Tracer() ==# '0'}],
      \ ]

function! s:Look(timer) abort
  let [l:Do, l:what, l:Seen] = s:steps[s:step]
  let l:late = reltimefloat(reltime(s:began)) > 60
  try
    let l:seen = l:Seen()
  catch
    let l:seen = 0
  endtry
  if !l:seen && !l:late
    return
  endif
  call writefile([(l:seen ? 'ok    ' : 'FAIL  ') .. l:what], $RESULT, 'a')
  let s:step += 1
  if l:late || s:step == len(s:steps)
    qall!
  endif
  let s:began = reltime()
  call s:steps[s:step][0]()
endfunction

call s:steps[0][0]()
call timer_start(50, function('s:Look'), #{repeat: -1})
