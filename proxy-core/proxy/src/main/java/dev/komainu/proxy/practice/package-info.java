/**
 * Simulated clients and a simulated origin on loopback, with which the proxy's code is run before
 * real traffic arrives: at build time for the AOT cache, or at the start. In: an address. Out:
 * answered requests. Thread: the caller's, and threads of the origin. Start at
 * {@link dev.komainu.proxy.practice.PracticeConnection}.
 */
@NullMarked
package dev.komainu.proxy.practice;

import org.jspecify.annotations.NullMarked;
