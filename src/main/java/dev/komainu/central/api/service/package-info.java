/**
 * Services, present and past, over REST: {@code /overview}, {@code /services} with series,
 * connections and thresholds, {@code /sources}, {@code /indices}.
 *
 * <p>In: requests that passed the guard; the newest assessment, and the store for the past. Out:
 * views with the fields of the contract; the publisher sends the same views on the stream. Thread:
 * the request's. The publisher runs on the assessment's thread.
 *
 * <p>Start at {@link dev.komainu.central.api.service.ServicesController}.
 */
@NullMarked
package dev.komainu.central.api.service;

import org.jspecify.annotations.NullMarked;
