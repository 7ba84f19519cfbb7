/* SPDX-License-Identifier: MIT */
#include "lab/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF_PI 1.57079632679489661923
#define SQUARE_ROOT_OF_TWO 1.41421356237309504880
#define ONE_SIDE 0.975 /* of the law, below the upper bound of a 95 % interval */

/* A value without its sign, and twice its rank, which is whole even where two share one. */
typedef struct ranked {
    double size;
    bool positive;
    size_t twice_rank;
} ranked_t;

static int ranked_compare(const void *left, const void *right)
{
    double a = ((const ranked_t *)left)->size, b = ((const ranked_t *)right)->size;
    return (a > b) - (a < b);
}

/* Takes the values that are not zero, and ranks them by size. Returns how many. */
static size_t ranked_fill(const double *values, size_t count, ranked_t *ranked)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 0) {
            ranked[used++] = (ranked_t){.size = fabs(values[i]), .positive = values[i] > 0};
        }
    }
    qsort(ranked, used, sizeof *ranked, ranked_compare);
    for (size_t first = 0, end; first < used; first = end) {
        end = first + 1;
        while (end < used && ranked[end].size == ranked[first].size) {
            end++;
        }
        for (size_t i = first; i < end; i++) {
            ranked[i].twice_rank = first + 1 + end; /* twice the middle of first + 1 to end */
        }
    }
    return used;
}

/*
 * Counts, for all ways to give the ranks signs, what the positive ones sum to: ways[s] is the share of those with sum s.
 * The share of sums at least as far from the middle as the observed one is the answer.
 */
static double signs_count(const ranked_t *ranked, size_t count, size_t observed, size_t total)
{
    double *ways = calloc(total + 1, sizeof *ways);
    if (ways == NULL) {
        return -1;
    }
    ways[0] = 1;
    size_t reached = 0;
    for (size_t i = 0; i < count; i++) {
        size_t rank = ranked[i].twice_rank;
        reached += rank;
        for (size_t sum = reached + 1; sum-- > 0;) {
            ways[sum] = (ways[sum] + (sum >= rank ? ways[sum - rank] : 0)) / 2;
        }
    }
    size_t low = observed < total - observed ? observed : total - observed;
    double share = 0;
    for (size_t sum = 0; sum <= low; sum++) {
        share += ways[sum];
    }
    free(ways);
    return share < 0.5 ? 2 * share : 1;
}

/* The sum of ranks has variance sum(rank^2) / 4, shared ranks included; half a step makes up for its being whole. */
static double normal_share(const ranked_t *ranked, size_t count, size_t observed, size_t total)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double rank = (double)ranked[i].twice_rank / 2;
        squares += rank * rank;
    }
    double distance = fabs((double)observed - (double)total / 2) / 2 - 0.5;
    return distance <= 0 ? 1 : erfc(distance / sqrt(squares / 4) / SQUARE_ROOT_OF_TWO);
}

double inference_signed_rank(const double *values, size_t count)
{
    ranked_t *ranked = malloc((count + 1) * sizeof *ranked);
    if (ranked == NULL) {
        return -1;
    }
    size_t used = ranked_fill(values, count, ranked);
    size_t observed = 0, total = 0;
    for (size_t i = 0; i < used; i++) {
        total += ranked[i].twice_rank;
        observed += ranked[i].positive ? ranked[i].twice_rank : 0;
    }
    double share = 1;
    if (used > 0) {
        share = used <= INFERENCE_EXACT_MAX ? signs_count(ranked, used, observed, total)
                                            : normal_share(ranked, used, observed, total);
    }
    free(ranked);
    return share;
}

/* A test of a family, and where its answer goes. */
typedef struct member {
    double probability;
    size_t place;
} member_t;

static int member_compare(const void *left, const void *right)
{
    double a = ((const member_t *)left)->probability, b = ((const member_t *)right)->probability;
    return (a > b) - (a < b);
}

bool inference_adjust(const double *probabilities, size_t count, double *adjusted)
{
    member_t *members = malloc((count + 1) * sizeof *members);
    if (members == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = (member_t){.probability = probabilities[i], .place = i};
    }
    qsort(members, count, sizeof *members, member_compare);
    double least = 1;
    for (size_t rank = count; rank > 0; rank--) {
        double scaled = members[rank - 1].probability * (double)count / (double)rank;
        least = scaled < least ? scaled : least;
        adjusted[members[rank - 1].place] = least;
    }
    free(members);
    return true;
}

/*
 * The share of Student's law within t of zero. With whole degrees of freedom its integral is a finite series in the
 * angle whose tangent is t over the root of the degrees: even ones leave powers of the sine alone, odd ones the angle too.
 */
static double t_share(double t, size_t degrees)
{
    double angle = atan(t / sqrt((double)degrees));
    double cosine = cos(angle), sum = 0;
    double term = degrees % 2 == 0 ? 1 : cosine;
    for (size_t power = degrees % 2; power + 2 <= degrees; power += 2) {
        sum += term;
        term *= cosine * cosine * (double)(power + 1) / (double)(power + 2);
    }
    return degrees % 2 == 0 ? sin(angle) * sum : (angle + sin(angle) * sum) / HALF_PI;
}

double inference_t_bound(size_t degrees)
{
    enum { STEPS = 80 };
    double low = 0, high = 16; /* 12.7 is the greatest, of one degree */
    for (int step = 0; step < STEPS; step++) {
        double middle = (low + high) / 2;
        if (t_share(middle, degrees) < 2 * ONE_SIDE - 1) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / (double)count;
}

/* The sum of squared distances from the mean. */
static double squares_of(const double *values, size_t count, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return sum;
}

stats_estimate_t inference_t_ratio(const double *logarithms, size_t count)
{
    double mean = mean_of(logarithms, count);
    stats_estimate_t estimate = {.value = exp(mean), .known = count > 1};
    if (estimate.known) {
        double variance = squares_of(logarithms, count, mean) / (double)(count - 1);
        double half = inference_t_bound(count - 1) * sqrt(variance / (double)count);
        estimate.interval.low = exp(mean - half);
        estimate.interval.high = exp(mean + half);
    }
    return estimate;
}

pooled_t_t inference_pooled_t(const double *first, size_t first_count, const double *second, size_t second_count)
{
    pooled_t_t pooled = {.known = false};
    if (first_count < 2 || second_count < 2) {
        return pooled;
    }
    double first_mean = mean_of(first, first_count), second_mean = mean_of(second, second_count);
    double squares = squares_of(first, first_count, first_mean) + squares_of(second, second_count, second_mean);
    pooled.degrees = first_count + second_count - 2;
    double variance = squares / (double)pooled.degrees;
    double error = sqrt(variance * (1 / (double)first_count + 1 / (double)second_count));
    if (error > 0) {
        pooled.t = (first_mean - second_mean) / error;
        pooled.known = true;
        pooled.significant = fabs(pooled.t) > inference_t_bound(pooled.degrees);
    }
    return pooled;
}
