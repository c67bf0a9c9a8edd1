package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
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
     * Sets the requested value.
     *
     * @param setting the setting as discovery reads it now; its value is the expected one
     */
    Change change(Order order, DiscoveredServer server, Setting setting)
            throws OrderRefusedException, IOException;

    /** Restores the content that an earlier order replaced, if it was not changed since. */
    Change restore(Order order, DiscoveredServer server, OrderJournal.Entry earlier)
            throws OrderRefusedException, IOException;
}
