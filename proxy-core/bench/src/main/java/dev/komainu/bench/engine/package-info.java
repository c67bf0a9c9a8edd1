/**
 * The memory of the native TLS engine.
 *
 * <p>In: a number of connections. Out: one line of JSON. Thread: one. Start at
 * {@link dev.komainu.bench.engine.EngineMemory}.
 */
@NullMarked
package dev.komainu.bench.engine;

import org.jspecify.annotations.NullMarked;
