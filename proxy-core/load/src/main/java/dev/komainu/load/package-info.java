/**
 * Load generators and origin servers for demos and experiments: the demo
 * ({@link dev.komainu.load.DemoLoad}, a daily curve on loopback), the papers' experiments
 * ({@link dev.komainu.load.OpenLoad}, with phases, many addresses and Polygraph's objects, and
 * {@link dev.komainu.load.ThinkingOrigin} as the origin), and the administrator's own load
 * ({@link dev.komainu.load.Load}, with browsers that report their waiting times).
 *
 * <p>In: a permitted target. Out: real HTTP requests, or real responses. Threads: one that
 * schedules the visitors; a virtual thread per visitor, or the event loops of the browsers.
 *
 * <p>Decision: docs/decisions/0090-five-modules-between-client-and-server.md
 */
@NullMarked
package dev.komainu.load;

import org.jspecify.annotations.NullMarked;
