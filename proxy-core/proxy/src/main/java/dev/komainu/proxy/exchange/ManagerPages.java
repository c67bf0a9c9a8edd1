package dev.komainu.proxy.exchange;

import org.jspecify.annotations.Nullable;

/**
 * The pages of figures that the data port serves itself ({@code /squid-internal-mgr/NAME}). Called
 * on event loops: must return quickly.
 */
@FunctionalInterface
public interface ManagerPages {

    /**
     * Returns the text of a page.
     *
     * @return null when there is no such page
     */
    @Nullable
    String page(String name);
}
