/**
 * Visitors and servers to be visited. Two lives: the demo ({@link dev.komainu.load.DemoLoad}, a rhythm on loopback),
 * and the papers' experiments ({@link dev.komainu.load.OpenLoad}, phases, many addresses, Polygraph's objects, with
 * {@link dev.komainu.load.ThinkingOrigin} at the other end). In: a target on loopback or a private address. Out: real
 * HTTP requests, or real answers. Threads: one that decides when the next visitor comes, a virtual one per visitor.
 */
@NullMarked
package dev.komainu.load;

import org.jspecify.annotations.NullMarked;
