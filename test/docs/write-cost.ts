// `npm run costs`: writes the table of docs/cost.md.
import { writeFileSync } from 'node:fs';
import { amountsInWords, COST_PAGE, readCostPage, renderCostPage } from './cost-page.ts';

const page = renderCostPage(readCostPage());
writeFileSync(COST_PAGE, page);
const missing = amountsInWords().onPage.filter((text) => !page.includes(text));
for (const text of missing) console.log(`docs/cost.md must contain: ${text}`);
