package dev.komainu.central.store;

/**
 * A length of roll-ups that are kept in files of their own, apart from raw days. The roll-ups of
 * ten seconds are not among them: they are a part of the raw day.
 */
enum RollUpLevel {
    MINUTE("minutes", 60_000_000L),
    HOUR("hours", 3_600_000_000L);

    private final String directory;
    private final long micros;

    RollUpLevel(String directory, long micros) {
        this.directory = directory;
        this.micros = micros;
    }

    /** Returns the name of the directory of its files, which is the name of its staged table. */
    String directory() {
        return directory;
    }

    /** Returns the length of a roll-up in microseconds. */
    long micros() {
        return micros;
    }

    /** Returns the start of the roll-up that contains an instant. */
    long startOf(long instantMicros) {
        return Math.floorDiv(instantMicros, micros) * micros;
    }
}
