/**
 * Visitors and servers to be visited. Three lives: the demo ({@link dev.komainu.load.DemoLoad}, a
 * rhythm on loopback), and the papers' experiments ({@link dev.komainu.load.OpenLoad}, phases, many
 * addresses, Polygraph's objects, with {@link dev.komainu.load.ThinkingOrigin} at the other end),
 * and the administrator's own ({@link dev.komainu.load.Load}, with browsers that tell how long they
 * waited). In: a target that may be one. Out: real HTTP requests, or real answers. Threads: one
 * that decides when the next visitor comes; a virtual one per visitor, or the event loops browsers
 * live on.
 *
 * <p>Decision: docs/decisions/0090-five-modules-between-client-and-server.md
 */
@NullMarked
package dev.komainu.load;

import org.jspecify.annotations.NullMarked;
