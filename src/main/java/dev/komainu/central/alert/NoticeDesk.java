package dev.komainu.central.alert;

import java.util.List;

/** Takes notices for delivery. Called by {@link AlertKeeper}'s thread; must not wait for a receiver. */
public interface NoticeDesk {

    /**
     * Writes down that this is to be delivered, within the caller's transaction, and begins nothing yet.
     *
     * @param receivers ids; empty: all
     * @return begins the delivery; to be called after the commit
     */
    Runnable accept(Notice notice, List<String> receivers);
}
