package dev.komainu.central.store;

/**
 * The lengths of the slots in which sources are compared: longer ones where only longer roll-ups
 * are read.
 *
 * @param hoursBefore instant before which slots have an hour, a multiple of an hour
 * @param minutesBefore instant before which slots have a minute, a multiple of an hour
 * @param shortest length of all other slots in microseconds
 */
record SlotGrid(long hoursBefore, long minutesBefore, long shortest) {

    /** Returns the grid whose slots have one length. */
    static SlotGrid of(long lengthMicros) {
        return new SlotGrid(Long.MIN_VALUE, Long.MIN_VALUE, lengthMicros);
    }

    /** Returns the length of the slot that contains an instant, in microseconds. */
    long lengthAt(long instantMicros) {
        if (instantMicros < hoursBefore) {
            return RollUpLevel.HOUR.micros();
        }
        return instantMicros < minutesBefore ? RollUpLevel.MINUTE.micros() : shortest;
    }

    /** Returns a range widened to full slots at both ends. */
    TimeRange widened(TimeRange range) {
        return new TimeRange(
                range.widened(lengthAt(range.fromMicros())).fromMicros(),
                range.widened(lengthAt(range.toMicros() - 1)).toMicros());
    }
}
