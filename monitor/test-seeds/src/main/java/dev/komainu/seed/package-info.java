/**
 * What tests of every module need against chance: seeds of inputs that failed, and the time limit
 * of a test JVM.
 */
@NullMarked
package dev.komainu.seed;

import org.jspecify.annotations.NullMarked;
