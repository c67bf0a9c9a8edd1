package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One kind of setting and how it is changed and changed back. The orders' thread. */
interface SettingApplier {

    /**
     * What was done.
     *
     * @param file what was replaced; absent where only the kernel was told
     * @param before value found
     * @param after value found afterwards
     * @param detail for people
     */
    record Done(
            @Nullable String file,
            @Nullable String before,
            @Nullable String after,
            String detail) {}

    /**
     * Puts the wanted value there.
     *
     * @param setting as discovery sees it now; its value is the expected one
     */
    Done change(Order order, DiscoveredServer server, Setting setting)
            throws OrderRefusedException, IOException;

    /** Puts back what an earlier order replaced, if nobody touched it since. */
    Done restore(Order order, DiscoveredServer server, OrderJournal.Begun earlier)
            throws OrderRefusedException, IOException;
}
