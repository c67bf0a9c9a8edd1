package dev.komainu.intermediary.control;

/** A permission that a token grants at the control endpoint. */
public enum ControlScope {
    READ,
    PURGE,
    CONFIG
}
