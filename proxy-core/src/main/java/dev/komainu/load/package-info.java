/**
 * Visitors and a limited server for the demo. In: a target on loopback. Out: real HTTP requests in a rhythm, or real
 * answers from few threads. Threads: one that decides when the next visitor comes, a virtual one per visitor. Start at
 * {@link dev.komainu.load.DemoLoad}.
 */
@NullMarked
package dev.komainu.load;

import org.jspecify.annotations.NullMarked;
