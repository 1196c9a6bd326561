/* Times and sizes as people read them: see quantity.h. */
#include "monitor/quantity.h"

#include <stdio.h>

// Three digits, but no more behind the point than say something.
static const char *three_digits(double n, const char *unit,
				char ret[QUANTITY_MAX])
{
	int digits = n < 9.995 ? 2 : n < 99.95 ? 1 : 0;

	snprintf(ret, QUANTITY_MAX, "%.*f %s", n == 0 ? 0 : digits, n, unit);
	return ret;
}

const char *quantity_time(uint64_t ns, char ret[QUANTITY_MAX])
{
	double n = (double)ns;

	if (n < 999.5e3)
		return three_digits(n / 1e3, "us", ret);
	return n < 999.5e6 ? three_digits(n / 1e6, "ms", ret)
			   : three_digits(n / 1e9, "s", ret);
}

const char *quantity_size(uint64_t bytes, char ret[QUANTITY_MAX])
{
	static const char *const units[] = {"KB", "MB", "GB", "TB"};
	double n = (double)bytes;
	size_t i = 0;

	if (bytes < 1000) {
		snprintf(ret, QUANTITY_MAX, "%u B", (unsigned int)bytes);
		return ret;
	}
	for (n /= 1024; n >= 999.5 && i < 3; i++)
		n /= 1024;
	return three_digits(n, units[i], ret);
}

const char *quantity_share(double part, double whole, char ret[QUANTITY_MAX])
{
	return three_digits(whole > 0 ? part / whole * 100 : 0, "%", ret);
}

int quantity_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t quantity_percentile(const uint64_t *values, size_t n,
			     unsigned int percent)
{
	if (!n)
		return 0;
	size_t rank = (n * percent + 99) / 100;

	return values[rank ? rank - 1 : 0];
}
