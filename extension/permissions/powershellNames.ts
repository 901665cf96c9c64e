/** Aliases every PowerShell has, and what they run. On Linux and macOS some of them are programs: judged as the cmdlet, which is the stricter reading. */
const aliases = new Map(
  Object.entries({
    'Get-ChildItem': 'gci ls dir',
    'Get-Content': 'gc cat type',
    'Remove-Item': 'ri rm del erase rd rmdir',
    'Copy-Item': 'ci cpi cp copy',
    'Move-Item': 'mi mv move',
    'Rename-Item': 'rni ren',
    'New-Item': 'ni',
    'Set-Content': 'sc',
    'Add-Content': 'ac',
    'Clear-Content': 'clc',
    'Get-Item': 'gi',
    'Set-Item': 'si',
    'Clear-Item': 'cli',
    'Invoke-Item': 'ii',
    'Set-Location': 'sl cd chdir',
    'Push-Location': 'pushd',
    'Pop-Location': 'popd',
    'Get-Location': 'gl pwd',
    'Invoke-Expression': 'iex',
    'Invoke-WebRequest': 'iwr curl wget',
    'Invoke-RestMethod': 'irm',
    'Invoke-Command': 'icm',
    'Invoke-History': 'r ihy',
    'Start-Process': 'saps start',
    'Stop-Process': 'spps kill',
    'Start-Job': 'sajb',
    'Start-Service': 'sasv',
    'Stop-Service': 'spsv',
    'Get-Process': 'gps ps',
    'Get-Service': 'gsv',
    'Get-Command': 'gcm',
    'Get-Alias': 'gal',
    'Set-Alias': 'sal',
    'New-Alias': 'nal',
    'Import-Module': 'ipmo',
    'Select-Object': 'select',
    'Select-String': 'sls',
    'Sort-Object': 'sort',
    'Where-Object': 'where ?',
    'ForEach-Object': 'foreach %',
    'Measure-Object': 'measure',
    'Group-Object': 'group',
    'Compare-Object': 'compare diff',
    'Tee-Object': 'tee',
    'Write-Output': 'echo write',
    'Get-Member': 'gm',
    'Get-Variable': 'gv',
    'Set-Variable': 'sv set',
    'Remove-Variable': 'rv',
    'Get-ItemProperty': 'gp',
    'Set-ItemProperty': 'sp',
    'Remove-ItemProperty': 'rp',
    'Format-Table': 'ft',
    'Format-List': 'fl',
    'Format-Wide': 'fw',
    'Out-Host': 'oh',
    'Out-Printer': 'lp',
    'Export-Csv': 'epcsv',
    'Import-Csv': 'ipcsv',
    'Convert-Path': 'cvpa',
    'Resolve-Path': 'rvpa',
    'Start-Sleep': 'sleep',
    'Get-History': 'h history ghy',
    'Get-Unique': 'gu',
    'New-PSDrive': 'ndr mount',
    'Enter-PSSession': 'etsn',
    'New-PSSession': 'nsn',
    'Clear-Host': 'cls clear',
  }).flatMap(([cmdlet, names]) => names.split(' ').map((name): [string, string] => [name, cmdlet])),
);

/** The cmdlet behind an alias; any other name as it is. Case does not matter to PowerShell. */
export function canonicalCommand(name: string): string {
  return aliases.get(name.toLowerCase()) ?? name;
}

/** Every name a deny may use for what runs: without module, folder and ending. */
export function commandNames(name: string): readonly string[] {
  const bare = name.slice(Math.max(name.lastIndexOf('\\'), name.lastIndexOf('/')) + 1);
  const stem = bare.replace(/\.(exe|cmd|bat|com|ps1)$/i, '');
  return [...new Set([name, bare, stem, canonicalCommand(bare), canonicalCommand(stem)])];
}

const set = (names: string): ReadonlySet<string> => new Set(names.toLowerCase().split(' '));

/** They only look at the files their words name. */
export const lookingCmdlets = set('get-childitem get-content get-item test-path resolve-path convert-path select-string get-filehash import-csv format-hex set-location push-location pop-location');
/** They touch no file and run nothing that stands not in their own script block. */
export const quietCmdlets = set(
  'get-location write-output write-host select-object sort-object where-object foreach-object measure-object group-object compare-object format-table format-list format-wide out-string out-null out-host get-date get-member get-unique split-path join-path convertfrom-json convertto-json convertfrom-csv convertto-csv get-random',
);
export const readingCmdlets = set('get-content get-childitem get-item select-string import-csv import-clixml get-filehash format-hex copy-item move-item compare-object invoke-item . source gc type more findstr certutil');
export const writingCmdlets = set('set-content add-content clear-content out-file tee-object new-item remove-item move-item copy-item rename-item set-item clear-item export-csv export-clixml set-itemproperty expand-archive compress-archive start-transcript invoke-webrequest set-acl out-printer');
/** What the mode acceptEdits takes for edits. */
export const editingCmdlets = set('set-content add-content clear-content out-file new-item remove-item move-item copy-item rename-item');
/** Whatever follows can be anything: a rule that ends in `*` would give too much away. */
export const onlyExactCmdlets = set('invoke-expression start-process invoke-command invoke-item start-job import-module invoke-webrequest invoke-restmethod remove-item set-item set-content add-content out-file powershell pwsh cmd cmd.exe wsl wsl.exe add-type new-object set-alias new-alias');
/** After one of these a name may run something else. */
export const renamingCmdlets = set('set-alias new-alias import-alias');
/** They run the text they are given. */
export const scriptCmdlets = set('invoke-expression powershell powershell.exe pwsh pwsh.exe cmd cmd.exe bash bash.exe sh wsl wsl.exe start-process invoke-command');
