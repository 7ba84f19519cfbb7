/* SPDX-License-Identifier: MIT */
#include "span/bits.h"
#include "span/span.h"

/* Walks the pages of one region in order; true when spans tile them and no two free ones touch. */
static bool region_is_valid(const region_t *region)
{
    bool free_before = false;
    for (uint32_t page = 0; page < region->top;) {
        uint32_t index = region->span_of[page];
        const span_t *span = &region->spans[index];
        if (index == 0 || index >= region->spans_made || span->first != page || span->pages == 0 ||
            span->pages > region->top - page || region->span_of[page + span->pages - 1] != index) {
            return false;
        }
        bool is_free = span->state == SPAN_FREE;
        if (!is_free && span->state != SPAN_USED && span->state != SPAN_ROOM) {
            return false;
        }
        if (is_free && (free_before || span->dirty != bits_count(region->dirty, page, span->pages))) {
            return false;
        }
        for (uint32_t i = page; is_free && i < page + span->pages; i++) {
            if (region->tags[i] != 0) {
                return false;
            }
        }
        free_before = is_free;
        page += span->pages;
    }
    return bits_count(region->dirty, region->top, region->pages_committed - region->top) == 0;
}

bool span_is_valid(void)
{
    bool valid = true;
    span_lock();
    for (int i = 0; i < region_count(); i++) {
        valid = valid && region_is_valid(&regions[i]);
    }
    span_unlock();
    return valid;
}
