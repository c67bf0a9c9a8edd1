// A write request with the message of its rejection.
import { ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { RequestFailed } from '../api/client'
import { askPassword, needsPassword } from './passwordAgain'
import { explain } from './problems'

/** Runs an action; when it needs the password again, asks for it and runs the action once more. */
async function confirmed(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (cause) {
    if (!(cause instanceof RequestFailed) || !needsPassword(cause) || !(await askPassword())) throw cause
    await action()
  }
}

export function useAction() {
  const { t } = useI18n()
  const failure = ref('')
  const busy = ref(false)

  /** @returns whether it succeeded */
  async function run(action: () => Promise<void>): Promise<boolean> {
    busy.value = true
    failure.value = ''
    try {
      await confirmed(action)
      return true
    } catch (cause) {
      if (!(cause instanceof RequestFailed)) throw cause
      failure.value = explain(cause, t)
      return false
    } finally {
      busy.value = false
    }
  }
  return { failure, busy, run }
}
