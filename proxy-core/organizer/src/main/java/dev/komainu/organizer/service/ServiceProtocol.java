package dev.komainu.organizer.service;

import java.util.Locale;

/** The protocol of an entry's clients. */
public enum ServiceProtocol {
    /** TCP: bytes to one service. */
    TCP,
    /** TLS to the service that the ClientHello names; not decrypted. */
    TLS,
    /** FTP with its data connections. */
    FTP,
    /** CORBA's GIOP over TCP, with the addresses in object references. */
    IIOP;

    /** Returns the name in settings and metrics. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
