package dev.komainu.proxy.exchange;

import org.jspecify.annotations.Nullable;

/**
 * Pages of figures that the data port itself answers ({@code /squid-internal-mgr/NAME}). Asked on
 * event loops: must be short.
 */
@FunctionalInterface
public interface ManagerPages {

    /** @return the text, absent when there is no such page */
    @Nullable
    String page(String name);
}
