package dev.komainu.intermediary.control;

/** The condition under which a control endpoint uses TLS. */
public enum ControlTlsMode {
    /** On an address other than loopback, when this part has an identity. */
    AUTO,
    /** On every address; without an identity the start fails. */
    ALWAYS,
    /** On no address. */
    OFF
}
