package dev.komainu.central.capacity;

/**
 * An input that a capacity model lacks, or that would improve it.
 *
 * @param what {@code traffic}, {@code minutes} of traffic, {@code span} between light and heavy
 *     load (a factor), {@code host} samples (points with any), {@code growth}: neither T_r nor any
 *     resource rises with the load yet
 * @param have present amount
 * @param need required amount
 */
public record MissingInput(String what, double have, double need) {}
