package dev.komainu.intermediary.buffer;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.util.List;

/**
 * Settings of socket buffers.
 *
 * @param scheme rule for their sizes (kernel)
 * @param budgetBytes for both directions of all connections, under {@code equation}: 64 KB to 1 TB
 *     (32 MB)
 * @param idleDecay rule for an idle connection's share, under {@code equation} (pressed)
 */
public record BufferSettings(BufferScheme scheme, long budgetBytes, IdleDecay idleDecay) {

    static final Setting<BufferScheme> SCHEME = Setting.of(
                    "buffers.scheme", "kernel, fixed, equation", BufferScheme::parse)
            .byDefault("kernel")
            .effect("Rule for the number of a connection's bytes that may wait in the kernel")
            .detail("""
                    - `kernel`: the kernel's autotuning
                    - `fixed`: 16 KB in each direction
                    - `equation`: a share of `buffers.budget` by the capacity of each path (E²-ATBT)

                    `fixed` and `equation` need the epoll transport. See [Socket
                    buffers](#socket-buffers).""");

    static final Setting<Long> BUDGET = Setting.size("buffers.budget", "64KB", "1TB")
            .byDefault("32MB")
            .effect("Limit of the socket buffers of all connections, both directions together, "
                    + "under `equation`");

    static final Setting<IdleDecay> IDLE_DECAY = Setting.of(
                    "buffers.idle-decay", "off, on, pressed", IdleDecay::parse)
            .byDefault("pressed")
            .effect("Decrease of an idle connection's share, under `equation`")
            .detail("""
                    With `on`, the share of an idle connection halves every 3 s, down to 1 KB. With
                    `pressed` it also falls to 1 KB within a second while not all demands can be
                    met.""");

    public static final BufferSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader collects mistakes. */
    public static BufferSettings read(SettingReader reader) {
        return new BufferSettings(reader.get(SCHEME), reader.get(BUDGET), reader.get(IDLE_DECAY));
    }

    /**
     * Adds "name: value (expected …)" for each value out of range.
     *
     * @param canBeHeld whether the transport lets the proxy count outstanding bytes
     */
    public void check(boolean canBeHeld, List<String> problems) {
        if (scheme != BufferScheme.KERNEL && !canBeHeld) {
            problems.add("buffers.scheme: " + scheme.text()
                    + " (expected: kernel, where transport is not epoll)");
        }
    }
}
