package dev.komainu.proxy.deliver;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * What tunes the sending of answers.
 *
 * @param stallTimeout how long a client may accept no byte of an answer: 100 ms to 1 h (60 s); then
 *     its connection is reset and counted
 * @param minRate bytes a second that a client must accept over each stall time-out while bytes wait
 *     for it: 0 (any) to 1,000,000 (0); then likewise
 * @param readAheadBytes what all answers that are not stored may hold together, beyond what their
 *     clients took: 1 MB to 1 TB (32 MB)
 */
public record DeliverSettings(Duration stallTimeout, int minRate, long readAheadBytes) {

    static final Setting<Duration> STALL_TIMEOUT = Setting.duration(
                    "deliver.stall-timeout", "100ms", "1h")
            .byDefault("60s")
            .effect("""
                    how long a client may accept no byte of an answer (noticed within a quarter more); then its connection is reset and counted
                    as `komainu_proxy_stalled_writes_total`""");

    static final Setting<Integer> MIN_RATE = Setting.integer("deliver.min-rate", 0, 1000000)
            .range("bytes a second, 0 to 1,000,000")
            .byDefault("0")
            .effect("""
                    what a client must accept over each `deliver.stall-timeout` while bytes wait for its socket; a slower one is reset and
                    counted likewise; 0: any pace. The kernel tells of progress in steps of up to a third of its send buffer, so a rate needs a
                    time-out of many seconds""");

    static final Setting<Long> READ_AHEAD =
            Setting.size("deliver.read-ahead", "1MB", "1TB").byDefault("32MB").effect("""
                    what all answers that are not stored may hold together, read of their origins and not yet taken by their clients; each gets
                    64 KB each way, less as this is used up, 1 KB at least; then its origin is read no further. What is stored while it streams
                    lies in the cache's memory instead""");

    public static final DeliverSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
    public static DeliverSettings read(SettingReader reader) {
        return new DeliverSettings(
                reader.get(STALL_TIMEOUT), reader.get(MIN_RATE), reader.get(READ_AHEAD));
    }

    /** Bytes that must be accepted in each stall time-out; 0 lets any pace pass. */
    public long leastBytes() {
        return minRate * stallTimeout.toMillis() / 1000;
    }
}
