package dev.komainu.intermediary.buffer;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.util.List;

/**
 * What tunes socket buffers.
 *
 * @param scheme who decides about them (kernel)
 * @param budgetBytes for both directions of all connections, under {@code equation}: 64 KB to 1 TB
 *     (32 MB)
 * @param idleDecay under {@code equation}: what becomes of an idle connection's share (pressed)
 */
public record BufferSettings(BufferScheme scheme, long budgetBytes, IdleDecay idleDecay) {

    static final Setting<BufferScheme> SCHEME = Setting.of(
                    "buffers.scheme", "kernel, fixed, equation", BufferScheme::parse)
            .byDefault("kernel")
            .effect("""
                    who decides how much of a connection's bytes may wait in the kernel: its autotuning; 16 KB each way for everybody; or a share
                    of `buffers.budget` by what each path can carry (E²-ATBT). The latter two need the epoll transport. See [Socket
                    buffers](#socket-buffers)""");

    static final Setting<Long> BUDGET = Setting.size("buffers.budget", "64KB", "1TB")
            .byDefault("32MB")
            .effect("under `equation`: for all connections together, both directions");

    static final Setting<IdleDecay> IDLE_DECAY = Setting.of(
                    "buffers.idle-decay", "off, on, pressed", IdleDecay::parse)
            .byDefault("pressed")
            .effect("""
                    under `equation`: an idle connection's share halves every 3 s, down to 1 KB (`on`); with `pressed` it also falls to 1 KB
                    within a second while not all wants can be met""");

    public static final BufferSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
    public static BufferSettings read(SettingReader reader) {
        return new BufferSettings(reader.get(SCHEME), reader.get(BUDGET), reader.get(IDLE_DECAY));
    }

    /**
     * Adds "name: value (expected …)" for each value out of range.
     *
     * @param canBeHeld whether this transport lets the proxy count what is outstanding
     */
    public void check(boolean canBeHeld, List<String> problems) {
        if (scheme != BufferScheme.KERNEL && !canBeHeld) {
            problems.add("buffers.scheme: " + scheme.text()
                    + " (expected: kernel, where transport is not epoll)");
        }
    }
}
