/* SPDX-License-Identifier: MIT */
#include "check/fault.h"

fault_t *fault_add(faults_t *faults, fault_kind_t kind, const char *moment, const void *pointer,
                   const check_record_t *record)
{
    if (!faults_are_full(faults)) {
        faults->count++;
    }
    fault_t *fault = &faults->at[faults->count - 1];
    fault->kind = kind;
    fault->moment = moment;
    fault->pointer = pointer;
    fault->has_record = record != NULL;
    fault->damage.kind = DAMAGE_NONE;
    if (record != NULL) {
        fault->record = *record;
        fault->front = record->heap->front;
    }
    return fault;
}

bool fault_look(faults_t *faults, check_record_t *record, const char *moment)
{
    damage_t damage = guard_look(record);
    if (damage.kind == DAMAGE_NONE) {
        return false;
    }
    if (!record->reported) {
        record->reported = true;
        fault_add(faults, FAULT_DAMAGE, moment, record->block, record)->damage = damage;
    }
    return true;
}
