package dev.komainu.intermediary.message;

import java.util.ArrayList;
import java.util.List;

/** A parser of comma-separated lists (RFC 9110 section 5.6.1) with quoted strings. */
public final class TokenList {

    private TokenList() {}

    /** Returns the non-empty members, trimmed; a comma inside a quoted string does not separate. */
    public static List<String> split(String list) {
        List<String> members = new ArrayList<>(4);
        boolean quoted = false;
        int from = 0;
        for (int i = 0; i <= list.length(); i++) {
            char c = i == list.length() ? ',' : list.charAt(i);
            if (i < list.length() && quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && (!quoted || i == list.length())) {
                String member = list.substring(from, Math.min(i, list.length())).strip();
                if (!member.isEmpty()) {
                    members.add(member);
                }
                from = i + 1;
            }
        }
        return members;
    }

    /** Reports whether a member equals {@code token}, without regard to case. */
    public static boolean contains(String list, String token) {
        if (list.length() == token.length()) {
            return list.equalsIgnoreCase(token);
        }
        if (list.indexOf(',') < 0) {
            return list.strip().equalsIgnoreCase(token);
        }
        for (String member : split(list)) {
            if (member.equalsIgnoreCase(token)) {
                return true;
            }
        }
        return false;
    }
}
