/* The wall clock of a process and of its children, CLOCK_SHIFT seconds ahead: a library for LD_PRELOAD.
 *
 * Monotonic clocks keep their time, so that sleeps and timeouts take as long as ever. `tests/dates/shift.py` compiles it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t seconds_ahead;

__attribute__((constructor)) static void read_shift(void) {
    const char *text = getenv("CLOCK_SHIFT");
    seconds_ahead = text == NULL ? 0 : atoll(text);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    /* The system call, not the next function of this name: the loader may ask before that is known. */
    if (syscall(SYS_clock_gettime, clock, now) != 0) {
        return -1;
    }
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        now->tv_sec += seconds_ahead;
    }
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec read;
    if (clock_gettime(CLOCK_REALTIME, &read) == 0) {
        now->tv_sec = read.tv_sec;
        now->tv_usec = read.tv_nsec / 1000;
    }
    return 0;
}

int timespec_get(struct timespec *now, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

time_t time(time_t *now) {
    struct timespec read = {0};
    clock_gettime(CLOCK_REALTIME, &read);
    if (now != NULL) {
        *now = read.tv_sec;
    }
    return read.tv_sec;
}
