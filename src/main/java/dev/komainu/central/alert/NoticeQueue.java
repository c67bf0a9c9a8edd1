package dev.komainu.central.alert;

import java.util.List;

/** A queue of notices for delivery. Its methods must not wait for a receiver. */
public interface NoticeQueue {

    /**
     * Stores the deliveries of a notice within the caller's transaction (on {@link AlertKeeper}'s
     * thread). Does not start them.
     *
     * @param receivers ids of receivers; empty: all
     * @return an action that starts the deliveries; the caller runs it after the commit
     */
    Runnable accept(Notice notice, List<String> receivers);

    /**
     * Reports whether a notice to these receivers would reach an enabled one. Any thread; reads
     * memory only.
     */
    boolean reaches(List<String> receivers);
}
