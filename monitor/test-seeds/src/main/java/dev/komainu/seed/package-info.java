/**
 * What tests of every module need against chance: seeds of inputs that failed, and the time limit
 * of a test JVM.
 *
 * <p>Decisions: docs/decisions/0047-a-second-try.md, docs/decisions/0089-seeds-of-chance.md
 */
@NullMarked
package dev.komainu.seed;

import org.jspecify.annotations.NullMarked;
