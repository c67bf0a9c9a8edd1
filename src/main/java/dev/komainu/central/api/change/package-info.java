/**
 * Recorded changes and their verifications over REST: {@code /changes}, {@code /verifications}.
 *
 * <p>In: requests that passed the guard. Out: views of changes and verifications, and the same
 * views on the stream. Thread: the request's. The publishers run on the threads of their events.
 *
 * <p>Start at {@link dev.komainu.central.api.change.ChangeController}.
 */
@NullMarked
package dev.komainu.central.api.change;

import org.jspecify.annotations.NullMarked;
