package dev.komainu.central.alert;

import java.util.List;

/** Takes notices for delivery. Must not wait for a receiver. */
public interface NoticeQueue {

    /**
     * Writes down that this is to be delivered, within the transaction of the caller
     * ({@link AlertKeeper}'s thread), and begins nothing yet.
     *
     * @param receivers ids; empty: all
     * @return begins the delivery; to be called after the commit
     */
    Runnable accept(Notice notice, List<String> receivers);

    /** Whether anybody would be told now. Any thread; answers from memory. */
    boolean reaches(List<String> receivers);
}
