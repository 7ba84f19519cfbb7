/* SPDX-License-Identifier: MIT */
/* Reduces the pairs of a workload to the figures that tables and JSON show. The same pairs give the same figures. */
#ifndef CUBBY_LAB_SUMMARY_H
#define CUBBY_LAB_SUMMARY_H

#include "lab/experiment.h"
#include "lab/inference.h"

typedef struct summary {
    size_t pairs;             /* that count */
    size_t excluded;          /* that do not; see exclusion.h */
    double median_seconds;    /* processor time of the arm's rounds */
    stats_estimate_t speedup; /* the base's processor time divided by the arm's, pair by pair */
    stats_estimate_t elapsed; /* the same of elapsed time */
    stats_estimate_t student; /* the speedup again, with Student's interval */
    double signed_rank;       /* the probability of such pairs where nothing differs */
    pooled_t_t pooled;        /* of the base's times and the arm's, as in 2016 */
    double median_peak_kib;   /* of the arm */
    double median_faults;
} summary_t;

/* Of all pairs of arm beside base that count. False when there are none. */
bool summary_make(const experiment_t *experiment, workload_id_t workload, arm_id_t base, arm_id_t arm,
                  summary_t *summary);

/* Median of the seconds of the base itself in all of its pairs; 0 when there are none. */
double summary_base_seconds(const experiment_t *experiment, workload_id_t workload, arm_id_t base);

/* Cubby beside the fastest of the peers. */
typedef struct peer_summary {
    arm_id_t peer;
    stats_estimate_t through_stock; /* Cubby's speedup over stock divided by the peer's */
    size_t pairs;                   /* of the two directly; 0 in the quick form */
    stats_estimate_t direct;        /* Cubby's speedup over the peer in these */
} peer_summary_t;

/* The peer with the greatest speedup over stock, of those that were not dropped. False when there is none. */
bool summary_fastest_peer(const experiment_t *experiment, workload_id_t workload, arm_id_t *fastest);

/* False when there is no peer, or nothing of Cubby. */
bool summary_peer(const experiment_t *experiment, workload_id_t workload, peer_summary_t *summary);

/* The speedup seen from the other side: of base over arm. */
stats_estimate_t estimate_invert(stats_estimate_t estimate);

typedef struct startup_summary {
    double stock_milliseconds; /* medians */
    double cubby_milliseconds;
    double stock_rss_kib;
    double cubby_rss_kib;
    stats_estimate_t milliseconds; /* Cubby's minus stock's, median of the pairs' differences */
    stats_estimate_t rss_kib;
} startup_summary_t;

/* False when there was no whole pair. */
bool summary_startup(const experiment_t *experiment, startup_summary_t *summary);

#endif
