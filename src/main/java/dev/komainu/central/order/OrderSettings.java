package dev.komainu.central.order;

import dev.komainu.central.settings.SettingsReader;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of this room.
 *
 * @param life an order that was not carried out by then is void; 30 seconds to 1 hour, default 5 minutes
 * @param keyFile the private key orders are signed with, made at the first start; {@code order-key} below
 *     {@code komainu.data}
 */
public record OrderSettings(Duration life, Path keyFile) {

    public static OrderSettings from(SettingsReader reader, Path data) {
        return new OrderSettings(
                reader.duration(
                        "komainu.orders.life", Duration.ofMinutes(5), Duration.ofSeconds(30), Duration.ofHours(1)),
                data.resolve("order-key"));
    }
}
