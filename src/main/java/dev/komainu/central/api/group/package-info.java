/** REST of groups of services. Start at {@link dev.komainu.central.api.group.GroupController}. */
@org.jspecify.annotations.NullMarked
package dev.komainu.central.api.group;
