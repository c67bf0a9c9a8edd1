package dev.komainu.organizer.service;

/**
 * Tells which lines of a server are answers, and which stand inside one of several lines (RFC 959
 * section 4.2).
 */
final class FtpReplyParser {

    private String until = "";

    /**
     * Looks at the next line.
     *
     * @param line without its end
     * @return the code of an answer that ends here; 0: it goes on, or this is no answer
     */
    int next(String line) {
        boolean begins = line.length() >= 3 && line.substring(0, 3).matches("[1-5][0-9][0-9]");
        char behind = line.length() > 3 ? line.charAt(3) : ' ';
        if (!until.isEmpty()) {
            if (begins && behind == ' ' && line.startsWith(until)) {
                until = "";
                return Integer.parseInt(line.substring(0, 3));
            }
            return 0;
        }
        if (!begins) {
            return 0;
        }
        if (behind == '-') {
            until = line.substring(0, 3);
            return 0;
        }
        return behind == ' ' ? Integer.parseInt(line.substring(0, 3)) : 0;
    }
}
