extension GitHubBrowserCommand {
    /// What the options do not say.
    static let help = """
        Without --live, the program has a GitHub of its own, with some thirty users: try ann, kestrel-labs, lumen, \
        hideo, edge-cases. The accounts ann and bob can log in by their names.

        KEYS
          letters     the name of a user, while the cursor is in the field
          ↑ ↓         choose a repository; the next page comes by itself
          PgUp PgDn   choose by the screen
          Enter →     open it
          Esc ←       back; in the field: empty it
          / Tab       to the field, and from it
          s           star it, or take the star away
          l           log in with an account or a token, or log out
          r           retry what failed; where nothing did, load anew
          o           pull the network's cable, and plug it in again
          q Ctrl-C    quit

        SCRIPTS
        One command per line. Lines that begin with # are comments.
        The screen is printed after each command that changed it.
          search <text>      type a name, key by key; nothing: empty the field
          type <text>        type on
          erase              take the last letter away
          open <n>           open the repository of row n
          back               back to the list
          next               load the next page
          login <account>    log in: ann, bob, or a token
          logout             log out
          star, unstar       star the open repository, or take the star away
          retry              load again what failed
          reload             load all of the screen again
          offline, online    pull the network's cable, and plug it in again
          latency <ms>       let each answer wait
          limit <n>          allow so many requests an hour to who is not logged in
          wait               go on when nothing is being loaded
          show               print the screen
          requests           print how often the server was asked for what
          quit               end here
        """
}
