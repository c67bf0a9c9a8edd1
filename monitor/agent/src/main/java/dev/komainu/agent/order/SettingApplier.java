package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An applier of one kind of setting, which changes it and restores it. The orders' thread. */
interface SettingApplier {

    /**
     * The result of a change.
     *
     * @param file the replaced file; absent when only the kernel's value was set
     * @param before the value before
     * @param after the value afterwards
     * @param detail a text for people
     */
    record Change(
            @Nullable String file,
            @Nullable String before,
            @Nullable String after,
            String detail) {}

    /**
     * Another value that changes with the order's own.
     *
     * @param setting the setting as discovery reads it now; its value is the expected one
     */
    record Companion(Setting setting, String wanted) {}

    /**
     * Sets the requested value, and the companions' values with it.
     *
     * @param setting the setting as discovery reads it now; its value is the expected one
     * @param companions refused by appliers that write no configuration file
     */
    Change change(Order order, DiscoveredServer server, Setting setting, List<Companion> companions)
            throws OrderRefusedException, IOException;

    /** Refuses an order with companions. */
    static void refuse(List<Companion> companions) throws OrderRefusedException {
        if (!companions.isEmpty()) {
            throw OrderRefusedException.untouched(
                    "no-place",
                    companions.getFirst().setting().name()
                            + ": is in no configuration file with the other setting");
        }
    }

    /** Restores the content that an earlier order replaced, if it was not changed since. */
    Change restore(Order order, DiscoveredServer server, OrderJournal.Entry earlier)
            throws OrderRefusedException, IOException;
}
