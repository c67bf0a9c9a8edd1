/**
 * The direct memory of bodies and heads: slabs from the system, and runs of their units as buffers.
 *
 * <p>In: a number of bytes ({@link dev.komainu.proxy.cache.memory.BodyMemory#allocate}). Out: a
 * buffer with one reference, or none when there is no room. Threads: safe for every event loop;
 * allocating and freeing lock the memory. Start at
 * {@link dev.komainu.proxy.cache.memory.BodyMemory}.
 *
 * <p>Decisions: docs/decisions/0034-cache-memory.md, docs/decisions/0044-heads-beside-bodies.md
 */
@NullMarked
package dev.komainu.proxy.cache.memory;

import org.jspecify.annotations.NullMarked;
