package dev.komainu.central.api.group;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.komainu.central.group.GroupFigures;
import dev.komainu.central.group.SettingsTable;
import dev.komainu.central.incident.ServiceLink;
import java.util.List;

/**
 * {@code GroupDetail} of the contract.
 *
 * @param distribution response times of all members together
 * @param memberList the members, worst state first
 * @param settings of the members side by side, those that differ first
 * @param links dependencies from and to members
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record GroupDetailView(
        @JsonUnwrapped GroupView group,
        List<GroupFigures.Bin> distribution,
        List<GroupView.MemberView> memberList,
        List<SettingsTable.Row> settings,
        List<ServiceLink> links) {}
