package dev.komainu.proxy.deliver;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * The settings for sending responses.
 *
 * @param stallTimeout the longest time in which a client may accept no byte of a response, 100 ms
 *     to 1 h (60 s); then its connection is reset and counted
 * @param minRate the bytes per second that a client must accept over each stall timeout while bytes
 *     wait for it, 0 (no minimum) to 1,000,000 (0); a slower client is reset and counted, too
 * @param readAheadBytes the bytes that all responses that are not stored may keep together, read
 *     from origins and not yet accepted by clients, 1 MB to 1 TB (32 MB)
 */
public record DeliverSettings(Duration stallTimeout, int minRate, long readAheadBytes) {

    static final Setting<Duration> STALL_TIMEOUT = Setting.duration(
                    "deliver.stall-timeout", "100ms", "1h")
            .byDefault("60s")
            .effect("Longest time in which a client may accept no byte of a response")
            .detail("""
                    The end of this time is detected within a quarter more. Then the connection is
                    reset and counted as `komainu_proxy_stalled_writes_total`.""");

    static final Setting<Integer> MIN_RATE = Setting.integer("deliver.min-rate", 0, 1000000)
            .range("bytes a second, 0 to 1,000,000")
            .byDefault("0")
            .effect("Minimum rate at which a client must accept a response; 0: no minimum")
            .detail("""
                    The rate is measured over each `deliver.stall-timeout` while bytes wait for the
                    client's socket. A slower client is reset and counted, too. The kernel reports
                    progress in steps of up to a third of its send buffer, so a rate needs a
                    timeout of many seconds.""");

    static final Setting<Long> READ_AHEAD = Setting.size("deliver.read-ahead", "1MB", "1TB")
            .byDefault("32MB")
            .effect("Bytes read from origins and not yet accepted by clients, for all "
                    + "responses that are not stored")
            .detail("""
                    Each response gets 64 KB each way, less when little is left, at least 1 KB;
                    then nothing more is read from its origin. A response that is stored while it
                    streams uses the cache's memory instead.""");

    public static final DeliverSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader records invalid values. */
    public static DeliverSettings read(SettingReader reader) {
        return new DeliverSettings(
                reader.get(STALL_TIMEOUT), reader.get(MIN_RATE), reader.get(READ_AHEAD));
    }

    /** Returns the bytes that must be accepted in each stall timeout; 0 for no minimum. */
    public long leastBytes() {
        return minRate * stallTimeout.toMillis() / 1000;
    }
}
