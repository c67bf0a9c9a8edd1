package dev.komainu.central.indices;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * A part of a host that is broken, full or at its limit.
 *
 * @param kind what is wrong with it
 * @param part its name, such as {@code md0} or {@code /var}
 * @param text one sentence
 * @param sinceMicros time of the first sample that reports it
 */
public record PartFault(Kind kind, String part, LocalizedText text, long sinceMicros) {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** The kind of a fault, the most serious first. */
    public enum Kind {
        LINK_DOWN("hostLinksDown", false),
        VOLUME_READ_ONLY("hostVolumesReadOnly", false),
        VOLUME_FULL("hostVolumeUsedShare", false),
        VOLUME_WITHOUT_INODES("hostVolumeInodesUsedShare", false),
        MEMORY_UNCORRECTED("hostMemoryUncorrectedErrors", false),
        DISK_FAILING("hostDisksFailing", false),
        ARRAY_DEGRADED("hostArraysDegraded", false),
        VOLUME_ERRORS("hostVolumeErrors", false),
        DISK_ERRORS("hostDiskErrorsPerSecond", true),
        CARD_ERRORS("hostCardErrorsPerSecond", true),
        LINK_SLOWER("hostLinksSlower", false),
        CPU_THROTTLED("hostCpuThrottlesPerSecond", true),
        TOO_HOT("hostHeatShare", false),
        MEMORY_CORRECTED("hostMemoryCorrectedPerSecond", true),
        CLOCK_FREE("hostClockSynchronised", false);

        private final String measure;
        private final boolean counted;

        Kind(String measure, boolean counted) {
            this.measure = measure;
            this.counted = counted;
        }

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Returns the name of the index that measures it. */
        public String measure() {
            return measure;
        }

        /**
         * Reports whether it is known by events: between two of them the part is still at fault.
         */
        boolean isCounted() {
            return counted;
        }
    }

    PartFault since(long micros) {
        return new PartFault(kind, part, text, micros);
    }

    /** Returns the sentence with the time since when the part is at fault. */
    public LocalizedText sentence() {
        String time = TIME.format(Instant.ofEpochMilli(sinceMicros / 1_000));
        return LocalizedText.of(
                "Part at fault since " + time + ": " + text.en(),
                "部品の異常(" + time + " から):" + text.ja());
    }
}
