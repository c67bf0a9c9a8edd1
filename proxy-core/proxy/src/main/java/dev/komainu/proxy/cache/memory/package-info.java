/**
 * The direct memory in which bodies and heads lie: slabs from the system, and runs of their units
 * as buffers.
 *
 * <p>In: a number of bytes ({@link dev.komainu.proxy.cache.memory.BodyMemory#take}). Out: a buffer
 * with one reference, or none when there is no room. Thread: safe for every event loop; taking and
 * giving back lock the memory. Start at {@link dev.komainu.proxy.cache.memory.BodyMemory}.
 *
 * <p>Decisions: docs/decisions/0034-cache-memory.md, docs/decisions/0044-heads-beside-bodies.md
 */
@NullMarked
package dev.komainu.proxy.cache.memory;

import org.jspecify.annotations.NullMarked;
