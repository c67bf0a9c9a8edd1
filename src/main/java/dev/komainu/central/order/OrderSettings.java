package dev.komainu.central.order;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of this package.
 *
 * @param life age at which an order without an outcome is void
 * @param keyFile file of the private key that signs orders, generated at the first start
 * @param epochOffset number that is added to the epoch of the lease in signed orders
 */
public record OrderSettings(Duration life, Path keyFile, int epochOffset) {

    private static final Setting<Duration> LIFE = Setting.duration(
                    "komainu.orders.life", "30s", "1h")
            .byDefault("5m")
            .effect("Age at which an order without an outcome is void")
            .detail("""
                    The key that signs orders is stored in `order-key` below `komainu.data` (mode
                    600) and generated at the first start. If it is lost, every agent needs the new
                    key.""");

    private static final Setting<Integer> EPOCH_OFFSET = Setting.integer(
                    "komainu.orders.epoch-offset", 0, 1_000_000_000)
            .byDefault("0")
            .effect("Number added to the epoch of the lease in signed orders")
            .detail("""
                    Agents refuse orders of an older epoch than the newest that they have accepted. Where the epochs begin
                    again (no lease any more, or control data restored from a backup), set a number above that one. Services
                    that share the control data need the same number.""");

    /**
     * Reads the settings.
     *
     * @param data directory of the key
     */
    public static OrderSettings read(SettingReader reader, Path data) {
        return new OrderSettings(
                reader.get(LIFE), data.resolve("order-key"), reader.get(EPOCH_OFFSET));
    }
}
