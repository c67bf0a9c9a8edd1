package dev.komainu.organizer.line;

import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLSession;

/** The right of a peer to a connection beyond its handshake. Any thread. */
@FunctionalInterface
public interface PeerAdmission {

    /**
     * Admits a connection whose handshake has completed.
     *
     * @param close closes it when the peer loses its right
     * @return false: the peer has no right to it; the caller closes it
     */
    boolean admit(SSLSession session, BooleanSupplier isOpen, Runnable close);
}
