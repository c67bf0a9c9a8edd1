/**
 * The tools of all modules' tests against chance: seeds of failed inputs, and the time limit of a
 * test JVM.
 *
 * <p>Decisions: docs/decisions/0047-a-second-try.md, docs/decisions/0089-seeds-of-chance.md
 */
@NullMarked
package dev.komainu.seed;

import org.jspecify.annotations.NullMarked;
