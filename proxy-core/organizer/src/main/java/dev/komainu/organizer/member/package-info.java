/**
 * The membership of the cluster: a group by JGroups over mutual TLS, and the messages of its
 * members. In: this member's routes and load, the group's views. Out: the route table, the forecast
 * of each member, events. Threads: JGroups' threads pass messages in, one thread of this package
 * sends and ticks. Start at {@link dev.komainu.organizer.member.Membership}.
 *
 * <p>Decisions: docs/decisions/0070-members-by-jgroups.md, docs/decisions/0071-grants.md,
 * docs/decisions/0085-thirty-that-start-at-once.md, docs/decisions/0097-pem-and-der.md,
 * docs/decisions/0116-members-by-identity.md
 */
@NullMarked
package dev.komainu.organizer.member;

import org.jspecify.annotations.NullMarked;
