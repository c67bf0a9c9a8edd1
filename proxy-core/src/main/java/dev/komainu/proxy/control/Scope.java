package dev.komainu.proxy.control;

/** What a token permits at the control endpoint. */
enum Scope {
    READ,
    PURGE,
    CONFIG
}
