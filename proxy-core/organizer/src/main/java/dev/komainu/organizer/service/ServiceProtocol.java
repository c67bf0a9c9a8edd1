package dev.komainu.organizer.service;

import java.util.Locale;

/** What an entry's clients speak. */
public enum ServiceProtocol {
    /** Bytes, to one service. */
    TCP,
    /** TLS to the service that its first message names; not decrypted. */
    TLS,
    /** FTP with its data connections. */
    FTP,
    /** CORBA's GIOP over TCP, with the addresses in object references. */
    IIOP;

    /** As settings and figures name it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
