package dev.komainu.intermediary.control;

/** What a token permits at the control endpoint. */
public enum ControlScope {
    READ,
    PURGE,
    CONFIG
}
