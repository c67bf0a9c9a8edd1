/**
 * Services as they are now and were over REST: {@code /overview}, {@code /services} with series,
 * connections and thresholds, {@code /sources}, {@code /indices}.
 *
 * <p>In: requests the guard let through; the newest assessment, and the store for what is past.
 * Out: views field by field as the contract names them; the publisher tells the same views on the
 * stream. Thread: the request's. The publisher runs on that of the assessment.
 *
 * <p>Start at {@link dev.komainu.central.api.service.ServicesController}.
 */
@NullMarked
package dev.komainu.central.api.service;

import org.jspecify.annotations.NullMarked;
